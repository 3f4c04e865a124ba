import type { SummaryEntry } from '../summary/parse.ts'

/**
 * An entry of an inferred table of contents; unlike a parsed one it has no place in a source.
 * `name` is the name of the folder whose title is made from it.
 */
export type Outline = Pick<SummaryEntry, 'kind' | 'title' | 'target'> & {
  name?: string
  children: Outline[]
}
