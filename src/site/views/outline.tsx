import type { HtmlHeading } from '../../content/html/page-html.ts'

/** The levels of headings that the outline shows. */
const deepest = 3

/** Returns the headings that the outline of a page shows. */
export function outlined(headings: readonly HtmlHeading[]): HtmlHeading[] {
  return headings.filter(({ level }) => level <= deepest)
}

/**
 * Returns a text that may be broken after the punctuation within long names. Breaking anywhere
 * could leave one letter alone.
 */
const breakable = (text: string) =>
  text
    .split(/(?<=[\p{L}\p{N}][_./:-])(?=[\p{L}\p{N}])/u)
    .flatMap((part, at) => (at === 0 ? [part] : [<wbr />, part]))

/** Returns the headings of a page as links: a column on wide screens, a drawer on others. */
export function Outline({ title, headings }: { title: string; headings: readonly HtmlHeading[] }) {
  return (
    <nav class="outline" id="~outline" popover="auto" aria-labelledby="~outline-title">
      <p class="title" id="~outline-title">
        {title}
      </p>
      <ul class="plain">
        {headings.map(({ id, level, text }) => (
          <li class={level > 2 ? 'deep' : undefined}>
            <a href={`#${encodeURIComponent(id)}`}>{breakable(text)}</a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
