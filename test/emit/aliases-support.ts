import { REVISIONS } from '../support/revisions.js';

export const NAMES = REVISIONS.map(({ revision }) => revision);
