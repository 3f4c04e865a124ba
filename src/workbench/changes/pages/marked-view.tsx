import type { ComponentChildren } from 'preact'
import type { MarkedPart } from '../../../page-text/marked-parts.ts'
import type { ShownThread } from '../../comments/show-threads.ts'
import { Threads } from '../../comments/thread.tsx'
import { A } from '../../parts/link.tsx'
import { withQuery } from '../paths.ts'
import { CommentForm } from './comment-form.tsx'
import { type Run, runsOf } from './folds.ts'
import type { InPage } from './load.ts'
import type { MarkedHtml } from './page-html.ts'

type Block = { part: MarkedPart; threads: readonly ShownThread[] }

/** Returns the page as its readers get it, with marks, and the comments at their blocks. */
export const MarkedView = ({ marked, ...props }: InPage & { marked: MarkedHtml }) => (
  <Runs
    marked={marked}
    runs={runsOfBlocks(blocksOf(marked, props.shown.threads), props.shown.at)}
    show={blocks => <Blocks blocks={blocks} {...props} />}
  />
)

/** Returns a page with marks, without anything to comment on. */
export const MarkedText = ({ marked }: { marked: MarkedHtml }) => (
  <Runs
    marked={marked}
    runs={runsOfBlocks(blocksOf(marked, []), undefined)}
    show={blocks => <Html blocks={blocks} />}
  />
)

type RunsProps = {
  marked: MarkedHtml
  runs: readonly Run<Block>[]
  show: (blocks: readonly Block[]) => ComponentChildren
}

function Runs({ marked, runs, show }: RunsProps) {
  return (
    <div class="marked-page">
      {marked.changes === 0 && <p class="muted small">The text of this page is the same.</p>}
      {runs.map(({ items: blocks, isFolded }) =>
        isFolded ? (
          <details class="unchanged">
            <summary>{blocks.length} blocks unchanged</summary>
            <Html blocks={blocks} />
          </details>
        ) : (
          show(blocks)
        ),
      )}
      {marked.rest !== '' && (
        <div class="prose" dangerouslySetInnerHTML={{ __html: marked.rest }} />
      )}
      {marked.cut && <p class="muted small">The end of the page is left out: it is too long.</p>}
    </div>
  )
}

function blocksOf({ parts, partById }: MarkedHtml, threads: readonly ShownThread[]): Block[] {
  const byPart = new Map<number, ShownThread[]>()
  const partOfKey = new Map<string, number>()
  for (const [at, { key, formerKey }] of parts.entries()) {
    if (formerKey !== undefined && !partOfKey.has(formerKey)) partOfKey.set(formerKey, at)
    if (key !== undefined) partOfKey.set(key, at)
  }

  for (const thread of threads) {
    const id = thread.row.node_id ?? ''
    const at = partOfKey.get(id) ?? partById.get(id)
    if (at === undefined) continue
    const list = byPart.get(at)
    if (list) list.push(thread)
    else byPart.set(at, [thread])
  }

  return parts.map((part, at) => ({ part, threads: byPart.get(at) ?? [] }))
}

/** Returns blocks in runs: blocks with a change, with a comment or with the form of one are open. */
const runsOfBlocks = (blocks: readonly Block[], open: string | undefined): Run<Block>[] =>
  runsOf(
    blocks,
    ({ part, threads }) =>
      part.isChanged || threads.length > 0 || (open !== undefined && open === part.key),
  )

const Html = ({ blocks }: { blocks: readonly Block[] }) => (
  <div
    class="prose"
    dir="auto"
    dangerouslySetInnerHTML={{ __html: blocks.map(({ part }) => part.html).join('') }}
  />
)

function Blocks({ blocks, ...props }: InPage & { blocks: readonly Block[] }) {
  const { shown, own, mayComment, path } = props
  return (
    <>
      {blocks.map(({ part, threads }) => (
        <div
          class="block"
          id={part.key && `at-${part.key}`}
          data-block=""
          data-change={part.isChanged ? '' : undefined}
        >
          <div class="prose" dir="auto" dangerouslySetInnerHTML={{ __html: part.html }} />
          {mayComment && part.key !== undefined && part.key !== shown.at && (
            <A to={withQuery(own, { at: part.key })} class="plus" label="Comment on this block">
              +
            </A>
          )}
          {threads.length > 0 && (
            <Threads
              threads={threads}
              path={path}
              back={shown.page.node.id}
              mayReply={mayComment}
            />
          )}
          {mayComment && part.key !== undefined && part.key === shown.at && (
            <CommentForm own={own} view="page" name={part.key} what="block" />
          )}
        </div>
      ))}
    </>
  )
}
