import type { SummaryEntry } from '../summary/parse.ts'

/**
 * An entry of an inferred table of contents; unlike a parsed one it has no place in a source.
 * `name` is the name of the folder whose title is made from it, `position` the number that the name
 * of the file or folder begins with, `label` its name in the list of pages.
 */
export type Outline = Pick<SummaryEntry, 'kind' | 'title' | 'target'> & {
  name?: string
  position?: number
  label?: string
  /** The page that the settings make the first. */
  isFront?: boolean
  /** The path of a folder without a page of its own, with its slash. */
  folder?: string
  children: Outline[]
}

/** A heading in the list of pages with the entries below it; without a title, entries alone. */
export type OutlineGroup = { title: string | null; entries: Outline[] }

/** What the settings file of another tool says about its pages. */
export type Navigation = {
  /** The path of the file, which is in the top folder. */
  path: string
  /** The title of the documentation. */
  title?: string
  /** The folder of the pages, '' or with its slash. */
  folder: string
  /** The table of contents; absent where the file leaves it to the folders. */
  groups?: OutlineGroup[]
  /** The files with the lists of pages that `groups` are made from. */
  lists?: string[]
  /** The places of the front page and of the table of contents, where the file names them. */
  places?: { readme: string; summary: string }
  /** What is not taken of the file, in sentences. */
  notTaken: string[]
}

/** A reader of one kind of settings. Never throws. */
export type ReadNavigation = (text: string) => Omit<Navigation, 'path'>
