import type { FrontMatter } from '../markdown/front-matter.ts'

/** The parts around a text that a page may leave out. */
const parts = [
  'cover',
  'title',
  'description',
  'tableOfContents',
  'outline',
  'pagination',
  'metadata',
  'tags',
  'actions',
  'anchors',
] as const

/** How a page is laid out. */
type Layout = {
  width: 'default' | 'wide'
  coverSize: 'full' | 'hero'
  coverMask: 'none' | 'radial'
} & Record<(typeof parts)[number], boolean>

/**
 * Returns the layout that the front matter of a page asks for: a part is shown unless it is
 * switched off.
 */
export function layoutOf({ layout = {} }: FrontMatter): Layout {
  const isShown = (name: string): boolean => {
    const part = Object.hasOwn(layout, name) ? layout[name] : undefined
    const said =
      typeof part === 'object' && part !== null ? (part as { visible?: unknown }).visible : part
    return said !== false
  }
  const cover = layout.cover as { size?: unknown; mask?: unknown } | undefined
  return {
    width: layout.width === 'wide' ? 'wide' : 'default',
    coverSize: cover?.size === 'hero' ? 'hero' : 'full',
    coverMask: cover?.mask === 'radial' ? 'radial' : 'none',
    ...(Object.fromEntries(parts.map(name => [name, isShown(name)])) as Record<
      (typeof parts)[number],
      boolean
    >),
  }
}
