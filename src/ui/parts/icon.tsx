/** The drawings of the style sheet: each is a mask, so that it has the colour of the text. */
type Drawing =
  | 'bars'
  | 'search'
  | 'list'
  | 'theme'
  | 'more'
  | 'close'
  | 'out'
  | 'left'
  | 'right'
  | 'down'
  | 'pin'

/**
 * Returns a drawing of the surface. It has no name for screen readers: its button or link has one.
 */
export function Drawn({ name }: { name: Drawing }) {
  return <span class={`i ${name}`} aria-hidden="true" />
}

/**
 * Returns the emoji or icon of a page, section or link. An icon is an SVG of the program's own set;
 * others are left out.
 */
export function PageIcon({
  emoji,
  icon,
}: {
  emoji?: string | undefined
  icon?: string | undefined
}) {
  if (emoji)
    return (
      <span class="glyph" aria-hidden="true">
        {emoji}
      </span>
    )
  if (!icon?.startsWith('<svg')) return null
  return <span class="glyph" aria-hidden="true" dangerouslySetInnerHTML={{ __html: icon }} />
}
