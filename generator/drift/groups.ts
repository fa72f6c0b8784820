import { DRIFT_KINDS, type DriftFinding, type DriftKind, type DriftReport } from './report.js';

/** Findings with the same difference of the same member in several definitions. */
export interface FindingGroup {
  readonly kind: DriftKind;
  readonly theirs: string;
  readonly ours: string;
  readonly detail?: string;
  readonly erratum?: string;
  /** The first place of each finding; never empty. */
  readonly places: readonly string[];
  /** How many more places have it because they use the same definitions. */
  readonly more: number;
}

/** A section of a report: the groups of one kind. */
export interface FindingSection {
  readonly kind: DriftKind;
  readonly findings: number;
  readonly groups: readonly FindingGroup[];
}

/** The findings that count, by kind, and separately those that errata explain. */
export function driftSections({ findings, exact }: DriftReport): {
  readonly counted: readonly FindingSection[];
  readonly explained: readonly FindingGroup[];
} {
  const isCounted = ({ erratum }: DriftFinding): boolean => exact || erratum === undefined;
  const counted = findings.filter(isCounted);
  return {
    counted: DRIFT_KINDS.flatMap((kind) => {
      const kindFindings = counted.filter((finding) => finding.kind === kind);
      return kindFindings.length === 0
        ? []
        : [{ kind, findings: kindFindings.length, groups: groupFindings(kindFindings) }];
    }),
    explained: groupFindings(findings.filter((finding) => !isCounted(finding))),
  };
}

function groupFindings(findings: readonly DriftFinding[]): readonly FindingGroup[] {
  const groups = new Map<string, DriftFinding[]>();
  for (const finding of findings) {
    const { kind, theirs, ours, detail, erratum } = finding;
    const key = JSON.stringify([kind, lastStep(finding), theirs, ours, detail, erratum]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { kind, theirs, ours, detail, erratum } = first;
    return [
      {
        kind,
        theirs,
        ours,
        ...(detail === undefined ? {} : { detail }),
        ...(erratum === undefined ? {} : { erratum }),
        places: group.map((finding) => finding.path),
        more: group.reduce((sum, finding) => sum + finding.also.length, 0),
      },
    ];
  });
}

/** The member that a finding is about; a whole definition is its own group. */
function lastStep({ path, definition }: DriftFinding): string {
  if (path === definition) return path;
  return /(?:\.[^.[\]<>"]+|\[[^[\]]*\]|<[^<>]*>)$/.exec(path)?.[0] ?? path;
}
