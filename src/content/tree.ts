import type { ContentConfig } from './config.ts'
import type { ContentFile } from './files.ts'
import type { Identity } from './identity.ts'
import type { PageFacts } from './page.ts'
import type { Issue, Summary } from './summary.ts'
import type { PageNode } from './tree-node.ts'

export type { ComputedSource, PageNode } from './tree-node.ts'

/** A file of the content that is neither a page nor one of the format's own files. */
export type FileNode = { id: string; path: string; name: string; oid: string; mode: string }

/** A reusable piece of content. */
export type IncludeNode = { id: string; title: string; path: string; oid: string }

/** Something wrong in the content, and the file it stands in. */
export type TreeIssue = Issue & { path?: string }

/** A revision's content as documentation. Immutable once built. */
export type ContentTree = {
  config: ContentConfig
  /** Null: there is no table of contents, the tree is inferred from the files. */
  summary: Summary | null
  summaryPath: string
  /** Top-level pages in order; groups stand only here. */
  pages: PageNode[]
  pageById: Map<string, PageNode>
  /** Documents and groups by path; '' and (unless another page has it) 'readme' are the landing page. */
  pageByPath: Map<string, PageNode>
  pageByFile: Map<string, PageNode>
  files: FileNode[]
  fileById: Map<string, FileNode>
  fileByPath: Map<string, FileNode>
  includes: IncludeNode[]
  variables: Record<string, string | number | boolean>
  issues: TreeIssue[]
}

/** What a tree is built from. */
export type TreeInput = {
  spaceId: string
  files: readonly ContentFile[]
  identity: Identity
  config: ContentConfig
  summary: Summary | null
  /** The facts of a blob; undefined when they are not known, and the page then has only its table-of-contents title. */
  facts: (oid: string) => PageFacts | undefined
  variables: Record<string, string | number | boolean>
  /** Issues found in `.gitbook.yaml` and `vars.yaml`, to be reported with the tree's own. */
  issues?: readonly TreeIssue[]
}
