import { pick } from '../../../access/fields.ts'
import type { OpenContent } from '../../../actions/audience/open-content.ts'
import { publishedUrlOfSpace } from '../../../actions/sites/published-spaces.ts'
import type { TreeIssue } from '../../../content/text/issues.ts'
import type { Context } from '../../../context.ts'
import { fileAddresses } from '../../../files/address.ts'
import { timeOf } from '../../../git/values/commit-time.ts'
import type { Bytes } from '../../../http/endpoint.ts'
import { jsonObject } from '../../../http/json-text.ts'
import { sha256 } from '../../../lib/digest.ts'
import { findChangeRequestByMerge } from '../../../store/discussions/change-requests.ts'
import { findGitSync } from '../../../store/git/git-sync.ts'
import { findServiceCommits } from '../../../store/git/service-commits.ts'
import type { SpaceRow } from '../../../store/tables/rows.ts'
import { publishedUrls } from '../../spaces/present.ts'
import { answer, until } from '../answer.ts'
import { loadChangeRequest } from '../change-requests/load.ts'
import { filesAsJson } from '../files/read.ts'
import { jsonOfPages, reusableContentsOf, treeKey } from '../read-tree.ts'
import { presentGit, typeOf } from './present.ts'
import { Revision } from './schema.ts'

/** Returns an issue as it is shown here; `content/findings` shows its kind. */
const inWords = ({ kind: _, ...issue }: TreeIssue): TreeIssue => issue

/** The maximum number of issues in an answer. */
const mostIssues = 200

type Query = { metadata?: boolean | undefined; format?: 'markdown' | 'document' | undefined }

/** Answers with a revision and its content. */
export async function answerRevision(open: OpenContent, query: Query): Promise<Bytes> {
  const { ctx, space, view, shown, audience, fields } = open
  const wants = (name: string) => fields?.has(name) ?? true
  const addresses = fileAddresses(ctx, space, open)
  const commitUrl = commitUrlOf(ctx, space)
  const mergedFrom = audience || !wants('mergedFrom') ? undefined : await mergedFromOf(open)
  const made = findServiceCommits(ctx.store, space.id, [view.oid]).get(view.oid)
  const merge = mergedFrom ? sha256(JSON.stringify(mergedFrom)) : ''
  const published = open.isPrimary ? publishedUrlOfSpace(ctx, space, open) : undefined
  const stamp = [addresses.stamp, commitUrl ?? '', merge, made ?? '', published ?? ''].join(' ')
  const seconds = mergedFrom ? 0 : addresses.seconds
  const key = `revision ${treeKey(query)} ${open.ref ?? ''} ${addresses.reader}`

  return answer(
    open,
    { key, schema: Revision, holds: until(stamp, seconds), keep: query.format !== 'markdown' },
    async signal => {
      const { notices } = view
      const { content } = shown
      const issues = audience
        ? []
        : [...notices.map(message => ({ message })), ...content.issues.map(inWords)].slice(
            0,
            mostIssues,
          )
      const location = `${ctx.publicUrl()}/v1/spaces/${space.id}/revisions/${view.oid}`
      const head = {
        object: 'revision',
        id: view.oid,
        ...(audience ? ofPublished : { parents: view.parents, type: typeOf(made) }),
        ...(mergedFrom && { mergedFrom }),
        createdAt: timeOf(view.committedAt),
        ...(query.metadata !== false && {
          git: presentGit(view, { made, commitUrl, ref: open.ref }),
        }),
        urls: {
          app: open.app.content,
          location,
          ...publishedUrls(space, published),
        },
        tags: [],
        variables: audience ? {} : content.variables,
        ...(issues.length > 0 && { issues }),
      }

      const includes = reusableContentsOf(open, query.metadata)
      const reusable = JSON.stringify(pick(fields?.of('reusableContents'), includes))
      const { metadata } = query
      const text = jsonObject(pick(fields, head) as object, {
        pages: wants('pages') ? [await jsonOfPages(open, query, signal)] : undefined,
        files: wants('files')
          ? await filesAsJson(open, content.files, { metadata, signal })
          : undefined,
        reusableContents: wants('reusableContents') ? [Buffer.from(reusable)] : undefined,
      })

      return Buffer.concat(text)
    },
  )
}

/** What readers get in place of the history of a revision. */
const ofPublished = { parents: [], type: 'edits' } as const

/**
 * Returns the prefix of the URLs of a space's commits, if its repository is also hosted elsewhere.
 */
export const commitUrlOf = (ctx: Context, space: SpaceRow): string | null | undefined =>
  findGitSync(ctx.store, space.id)?.repo_commit_url

async function mergedFromOf({ ctx, space, view }: OpenContent) {
  const row = findChangeRequestByMerge(ctx.store, space.id, view.oid)
  return row && (await loadChangeRequest(ctx, row, undefined))
}
