import type { SummaryEntry } from '../summary/parse.ts'

/**
 * An entry of an inferred table of contents; unlike a parsed one it has no place in a source.
 * `name` is the name of the folder whose title is made from it, `position` the number that the name
 * of the file or folder begins with.
 */
export type Outline = Pick<SummaryEntry, 'kind' | 'title' | 'target'> & {
  name?: string
  position?: number
  /** The page that the settings make the first. */
  isFront?: boolean
  children: Outline[]
}
