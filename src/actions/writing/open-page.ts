import { writtenTitle } from '../../content/edit/places.ts'
import { readFrontMatter, splitFrontMatter } from '../../content/markdown/front-matter.ts'
import { bodyStart } from '../../content/page/editable.ts'
import { decode } from '../../content/text/bytes.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { readBlob, unreadable } from '../../git/objects/objects.ts'
import type { Oid } from '../../lib/oid.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { isRevision } from '../revisions/is-revision.ts'
import { viewRevision } from '../revisions/view-revision.ts'

/** The most characters below the title of a page that is written in a browser. */
const mostWritten = 2_500_000

/** What a person writes of a page, as fields of a form. */
export type PageFields = {
  title: string
  description: string
  icon: string
  cover: string
  /** What stands below the title. */
  body: string
}

/** A page at a revision, for writing. */
export type OpenedPage = {
  node: PageNode
  view: RevisionView
  /** The whole file, and where its body begins. */
  text: string
  start: number
  fields: PageFields
}

/**
 * Opens a page at a revision. Throws 'missing' for an unknown revision or page, 'invalid' for what
 * is no page with a file of text, 'too_large'.
 */
export async function openPage(
  ctx: Context,
  spaceId: string,
  revision: Oid,
  id: string,
): Promise<OpenedPage> {
  if (!(await isRevision(ctx, spaceId, revision))) throw missing('revision', revision)
  const view = await viewRevision(ctx, spaceId, revision)
  const node = view.content.pageById.get(id)
  if (!node) throw missing('page', id)
  checkKind(node)

  const text = await textOf(ctx, spaceId, node)
  const start = bodyStart(text, [node.title, writtenTitle(node)], node.file?.path)

  return { node, view, text, start, fields: fieldsOf(node.title, text, start) }
}

/** Returns the fields of a page with a title and a text whose body begins at an offset. */
export function fieldsOf(title: string, text: string, start: number): PageFields {
  const { description = '', icon = '', cover = '' } = readFrontMatter(text).data
  return { title, description, icon, cover, body: text.slice(start) }
}

function checkKind({ type, title }: PageNode): void {
  if (type === 'document') return
  throw new Fault(
    'content_not_editable',
    type === 'computed'
      ? `“${title}” is made from an OpenAPI description: change that instead.`
      : `“${title}” is a ${type} of the table of contents and has no text.`,
  )
}

async function textOf(ctx: Context, spaceId: string, { file }: PageNode): Promise<string> {
  if (!file) return ''
  const bytes = await readBlob(spaceRepository(ctx, spaceId), file.oid, mostWritten * 4)
  if (!bytes) throw unreadable(file.oid)
  const { text, exact } = decode(bytes)

  if (!exact || text.includes('\0'))
    throw new Fault(
      'content_not_editable',
      `“${file.path}” is not text in UTF-8: a browser would change it. Edit it with Git instead.`,
    )
  const { body } = splitFrontMatter(text)
  if (text.length - body > mostWritten)
    throw new Fault(
      'too_large',
      `“${file.path}” is longer than the ${mostWritten} characters that are edited in a browser. Edit it with Git instead.`,
    )

  return text
}
