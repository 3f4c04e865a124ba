import type { NamedLine } from '../../../content/changes/named-lines.ts'
import type { ShownThread } from '../../comments/show-threads.ts'
import { Threads } from '../../comments/thread.tsx'
import { withQuery } from '../paths.ts'
import { type LineNotes, SourceView } from '../source/source-view.tsx'
import { CommentForm } from './comment-form.tsx'
import type { InPage, NamedSource } from './load.ts'

/** Returns the Markdown of a page line by line, with the comments at their lines. */
export function SourcePage({ source, ...props }: InPage & { source: NamedSource }) {
  const notes = 'why' in source ? undefined : notesOf(source.lines, props)
  return <SourceView source={source} notes={notes} />
}

/** Returns the lines of a page that its comments stand at, by their names: the line of now before a removed one. */
export function placesOf(lines: readonly NamedLine[]): ReadonlyMap<string, NamedLine> {
  const places = new Map<string, NamedLine>()
  for (const line of lines)
    if (line.name !== undefined && (line.kind !== 'removed' || !places.has(line.name)))
      places.set(line.name, line)
  return places
}

function notesOf(lines: readonly NamedLine[], props: InPage): LineNotes {
  const { shown, own, path, mayComment } = props
  const places = placesOf(lines)
  const byName = new Map<string, ShownThread[]>()
  for (const thread of shown.threads) {
    const name = thread.row.node_id ?? ''
    if (places.has(name)) byName.set(name, [...(byName.get(name) ?? []), thread])
  }

  return {
    below: (line: NamedLine) => {
      const { name } = line
      if (name === undefined || places.get(name) !== line) return undefined
      const threads = byName.get(name)
      const isAsked = mayComment && name === shown.at
      if (!threads && !isAsked) return undefined
      return (
        <>
          {threads && (
            <Threads
              threads={threads}
              path={path}
              back={`${shown.page.node.id}?view=source`}
              mayReply={mayComment}
            />
          )}
          {isAsked && (
            <div id="comment-form">
              <CommentForm own={own} view="source" name={name} what="line" />
            </div>
          )}
        </>
      )
    },
    add: ({ name, kind }: NamedLine) =>
      mayComment && kind !== 'removed' && name !== undefined
        ? `${withQuery(own, { view: 'source', at: name })}#comment-form`
        : undefined,
  }
}
