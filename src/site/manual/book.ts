import { blobId } from '../../content/edit/draft.ts'
import type { DescribedPiece, OpenapiOperation } from '../../content/openapi/describe.ts'
import { pieceByPiece, schemaKey } from '../../content/openapi/describe.ts'
import { textOfPieces } from '../../content/openapi/page.ts'
import { expandSteps, openapiEntries } from '../../content/openapi/pages.ts'
import { decode } from '../../content/text/bytes.ts'
import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import { readConfig } from '../../content/tree/config.ts'
import { treeInMemory } from '../../content/tree/in-memory.ts'
import { mustGet } from '../../lib/must-get.ts'
import { zeroOid } from '../../lib/oid.ts'
import { atOnce } from '../../lib/slices.ts'

/** The text of a page, and the call that readers can send from it. */
type BookText = Pick<DescribedPiece, 'text' | 'call'>

/** A part of the manual that the program brings along: its pages, and their texts. */
export type Book = {
  name: 'reference' | 'manual'
  title: string
  content: ContentTree
  files: ReadonlyMap<string, Uint8Array>
  textOf: (node: PageNode) => BookText
  /** The operation that a page is about. */
  operationOf: (node: PageNode) => OpenapiOperation | undefined
  /** The pages of operations, by the id of the operation in lower case. */
  pageOfOperation: ReadonlyMap<string, PageNode>
}

/** Returns the book of a folder of Markdown with a table of contents. */
export function bookOfFiles(files: ReadonlyMap<string, Uint8Array>): Book {
  return {
    name: 'manual',
    title: 'Manual',
    content: treeOf(files),
    files,
    textOf: ({ file }) => ({ text: file ? decode(mustGet(files, file.path)).text : '' }),
    operationOf: () => undefined,
    pageOfOperation: new Map(),
  }
}

/** The name of the spec of the reference, which no reader sees. */
const spec = 'reference'

/** The table of contents of the reference: an introduction, and the pages of the spec. */
const summary = `# Table of contents

* [API reference](README.md)
* \`\`\`yaml
  type: builtin:openapi
  props: {models: true, grouping: by-operation}
  dependencies: {spec: {ref: {kind: openapi, spec: ${spec}}}}
  \`\`\`
`

/**
 * Returns the book of an OpenAPI document: an introduction, and a page per tag, operation and schema.
 * `hrefOf` returns the address of a page: names of schemas lead to their pages.
 */
export function bookOfSpec(document: unknown, hrefOf: (path: string) => string): Book {
  const schemaPages = new Map<string, PageNode>()
  const { outline, pieceOf } = pieceByPiece(document, name => {
    const page = schemaPages.get(schemaKey(name))
    return page && hrefOf(page.path)
  })
  const files = new Map(
    Object.entries({
      'README.md': `# API reference\n\n${pieceOf('info')?.text ?? ''}`,
      'SUMMARY.md': summary,
    }).map(([path, text]) => [path, new TextEncoder().encode(text)]),
  )
  const written = treeOf(files)
  const computed = { specId: spec, slug: spec, versionId: zeroOid, outline, file: '' }
  const { content, texts } = atOnce(
    expandSteps(written, openapiEntries(written), new Map([[spec, computed]])),
  )
  for (const node of content.pageById.values()) {
    const made = texts.get(node.id)
    if (made?.single && made.pieces[0]!.startsWith(schemaKey('')))
      schemaPages.set(made.pieces[0]!, node)
  }
  const operations = new Map(outline.operations.map(operation => [operation.key, operation]))
  const operationOf = ({ id }: PageNode) => {
    const made = texts.get(id)
    return made?.single ? operations.get(made.pieces[0]!) : undefined
  }

  return {
    name: 'reference',
    title: 'API reference',
    content,
    files,
    operationOf,
    pageOfOperation: new Map(
      [...content.pageById.values()].flatMap(node => {
        const id = operationOf(node)?.operationId
        return id === undefined ? [] : [[id.toLowerCase(), node] as const]
      }),
    ),
    textOf: node => {
      const made = texts.get(node.id)
      if (!made) return { text: decode(mustGet(files, node.file?.path ?? '')).text }
      const pieces = made.pieces.flatMap(key => pieceOf(key) ?? [])
      const [only] = pieces
      return {
        text: textOfPieces(
          made,
          pieces.map(({ text }) => text),
        ),
        ...(made.single && only?.call && { call: only.call }),
      }
    },
  }
}

function treeOf(files: ReadonlyMap<string, Uint8Array>): ContentTree {
  const listed = [...files].map(([path, bytes]) => ({ path, oid: blobId(bytes), mode: '100644' }))
  return treeInMemory(listed, files, readConfig(undefined).config)
}
