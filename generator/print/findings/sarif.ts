/** Findings as SARIF 2.1.0, which GitHub shows as code scanning alerts. */
import { escapeHiddenCharacters } from '../../text.js';
import type { JsonObject, JsonValue } from '../../read/json/json.js';
import type { PrintedFinding, PrintedRule } from './finding.js';
import type { Severity } from '../../inspect/rule.js';

/** What a SARIF file is about. */
export interface SarifRun {
  /** The version of mcpgen. */
  readonly version: string;
  /** The command: `check-server`. */
  readonly command: string;
  /** The file that results without a file refer to: GitHub requires one. */
  readonly defaultFile: string;
  readonly ruleOf: (id: string) => PrintedRule;
}

const LEVELS: Readonly<Record<Severity, string>> = { violation: 'error', deviation: 'warning', advice: 'note' };

/** Longest message, in characters. */
const MAX_MESSAGE_LENGTH = 1000;

/** The findings as a SARIF log. Known findings are suppressed. */
export function findingsToSarif(findings: readonly PrintedFinding[], run: SarifRun): JsonObject {
  const ids = [...new Set(findings.map(({ rule }) => rule))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: `mcpgen ${run.command}`,
            version: run.version,
            rules: ids.map((id) => {
              const { title, help, url } = run.ruleOf(id);
              const severity = findings.find(({ rule }) => rule === id)?.severity ?? 'violation';
              return {
                id,
                shortDescription: { text: title },
                fullDescription: { text: help },
                ...(url === undefined ? {} : { helpUri: url }),
                help: { text: help },
                defaultConfiguration: { level: LEVELS[severity] },
              };
            }),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => toResult(finding, ids, run.defaultFile)),
      },
    ],
  };
}

function toResult(finding: PrintedFinding, ids: readonly string[], defaultFile: string): JsonObject {
  const { rule, severity, message, place, revisions = [], evidence, again, isKnown = false, fingerprint } = finding;
  const properties: Record<string, JsonValue> = {
    ...(revisions.length === 0 ? {} : { revisions }),
    ...(place.frame === undefined ? {} : { frame: place.frame }),
    ...(evidence === undefined ? {} : { sent: evidence.sent, received: evidence.received }),
    ...(again === undefined ? {} : { again }),
  };
  return {
    ruleId: rule,
    ruleIndex: ids.indexOf(rule),
    level: LEVELS[severity],
    message: { text: escapeHiddenCharacters(message).slice(0, MAX_MESSAGE_LENGTH) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(place.file ?? defaultFile) },
          region: { startLine: place.line ?? 1 },
        },
        ...(place.subject === undefined
          ? {}
          : { logicalLocations: [{ fullyQualifiedName: escapeHiddenCharacters(place.subject) }] }),
      },
    ],
    partialFingerprints: { 'mcpgen/v1': fingerprint ?? `${rule} ${place.subject ?? ''} ${message}` },
    ...(isKnown ? { suppressions: [{ kind: 'external' }] } : {}),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
  };
}
