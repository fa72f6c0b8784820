/** The released revisions, oldest first, with the number of definitions and methods that each is known to have. */
export const REVISIONS = [
  { revision: '2024-11-05', definitions: 79, methods: 24 },
  { revision: '2025-03-26', definitions: 83, methods: 24 },
  { revision: '2025-06-18', definitions: 91, methods: 25 },
  { revision: '2025-11-25', definitions: 145, methods: 31 },
  { revision: '2026-07-28', definitions: 155, methods: 21 },
] as const;
