import { emojiText } from '../../content/text/emoji.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { A } from '../parts/link.tsx'

type PageListProps = {
  pages: readonly PageNode[]
  /** The path of the space, to which `/p/<id>` is added. */
  path: string
  /** The ids of the shown page and of those above it. */
  branch: ReadonlySet<string>
  current: string | undefined
}

/** The most entries of one level that are listed. */
const mostEntries = 500

/** Returns the list of pages of a space: only the open branch has its pages. */
export function PageList({ pages, ...rest }: PageListProps) {
  return (
    <ul class="plain tree">
      {pages.slice(0, mostEntries).map(node => (
        <li>
          <Entry node={node} {...rest} />
          {node.pages.length > 0 && (node.type === 'group' || rest.branch.has(node.id)) && (
            <PageList pages={node.pages} {...rest} />
          )}
        </li>
      ))}
      {pages.length > mostEntries && (
        <li class="muted small">{pages.length - mostEntries} more: search for them.</li>
      )}
    </ul>
  )
}

function Entry({ node, path, current }: Omit<PageListProps, 'pages'> & { node: PageNode }) {
  const title = (
    <>
      {node.emoji && <span class="glyph">{emojiText(node.emoji)}</span>}
      {node.linkTitle ?? node.title}
    </>
  )
  if (node.type === 'group') return <span class="group">{title}</span>
  if (node.type !== 'document') return <span class="entry muted">{title}</span>
  const isHidden = node.facts?.frontMatter.hidden === true
  return (
    <A to={`${path}/p/${node.id}`} class="entry" current={node.id === current}>
      {title}
      {isHidden && <small class="muted"> hidden</small>}
    </A>
  )
}
