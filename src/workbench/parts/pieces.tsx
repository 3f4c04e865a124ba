import type { ComponentChildren } from 'preact'
import { A } from './link.tsx'

/** Returns a section with a heading and, beside it, a link or button. */
export function Section(props: {
  title: string
  id: string
  count?: number | string | undefined
  aside?: ComponentChildren
  children: ComponentChildren
}) {
  const { title, id, count, aside, children } = props
  return (
    <section class="section" aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>
          {title}
          {count !== undefined && <span class="count">{count}</span>}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

/** Returns a list with lines between its rows. */
export const Rows = ({ children }: { children: ComponentChildren }) => (
  <ul class="plain rows">{children}</ul>
)

/** Returns a row of a list: what it is about, more in small letters, and what stands at its end. */
export function Row(props: {
  to?: string
  title: ComponentChildren
  small?: ComponentChildren
  end?: ComponentChildren
  /** How many rows it is in. */
  depth?: number
}) {
  const { to, title, small, end, depth = 0 } = props
  return (
    <li class={depth > 0 ? `deep-${depth}` : undefined}>
      <div class="what">
        {to === undefined ? (
          <span class="name">{title}</span>
        ) : (
          <A to={to} class="name">
            {title}
          </A>
        )}
        {small && <p class="small muted">{small}</p>}
      </div>
      {end && <div class="end">{end}</div>}
    </li>
  )
}

/** Returns what a list says that has nothing in it, and what to do about that. */
export const Empty = ({ children }: { children: ComponentChildren }) => (
  <div class="empty">{children}</div>
)

export type Tone = 'info' | 'success' | 'warning' | 'danger' | 'muted'

/** Returns a word in a frame, such as the status of a change request. */
export const Badge = ({
  tone = 'muted',
  children,
}: {
  tone?: Tone
  children: ComponentChildren
}) => <span class={`badge ${tone}`}>{children}</span>

/** Returns a sentence in a frame of its colour, such as what stands in the way of a merge. */
export const Note = ({ tone = 'info', children }: { tone?: Tone; children: ComponentChildren }) => (
  <div class={`note ${tone}`}>{children}</div>
)

/** Returns links to the parts of a long list; a missing one is left out. */
export function Pager({
  newer,
  older,
}: {
  newer?: string | undefined
  older?: string | undefined
}) {
  if (newer === undefined && older === undefined) return null
  return (
    <nav class="pages" aria-label="Parts of the list">
      {newer !== undefined && (
        <A to={newer} class="btn">
          Newer
        </A>
      )}
      {older !== undefined && (
        <A to={older} class="btn">
          Older
        </A>
      )}
    </nav>
  )
}
