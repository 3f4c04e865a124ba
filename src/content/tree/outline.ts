import type { SummaryEntry } from '../summary/parse.ts'

/** An entry of an inferred table of contents; unlike a parsed one it has no place in a source. */
export type Outline = Pick<SummaryEntry, 'kind' | 'title' | 'target'> & { children: Outline[] }
