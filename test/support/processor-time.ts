/** Processor time in milliseconds that a synchronous function takes, which does not depend on what else the machine does. */
export function processorTimeOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
