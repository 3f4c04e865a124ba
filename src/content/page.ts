import type { FrontMatter } from './front-matter.ts'
import type { Issue } from './summary.ts'

/** What the page tree needs to know of a page's file; JSON-serialisable, so it can be kept per blob. */
export type PageFacts = { frontMatter: FrontMatter; h1?: string; empty: boolean; issues: Issue[] }

/** Changes whenever the same bytes would give other facts. */
export const factsVersion = 1
