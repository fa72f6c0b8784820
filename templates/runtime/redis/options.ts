/** @throws RangeError if an option is not a positive integer. */
export function checkPositive(name: string, value: number): void {
  if (!(Number.isSafeInteger(value) && value > 0))
    throw new RangeError(`${name} must be a positive integer, not ${value}`);
}
