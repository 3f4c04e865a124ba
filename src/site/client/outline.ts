import { all, find } from '../../ui/client/page.ts'

/** Marks the section that is being read in the list "On this page". */
export function startOutline(): void {
  const outline = find('.outline')
  if (!outline) return
  const links = new Map(
    all<HTMLAnchorElement>('a', outline).map(link => [
      decodeURIComponent(link.hash.slice(1)),
      link,
    ]),
  )
  const headings = [...links.keys()].flatMap(id => document.getElementById(id) ?? [])
  let current: HTMLAnchorElement | undefined
  let waiting = false

  function follow(): void {
    waiting = false
    const limit = innerHeight / 4
    const below = headings.findIndex(heading => heading.getBoundingClientRect().top > limit)
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2 && scrollY > 0
    const index = atEnd || below < 0 ? headings.length - 1 : Math.max(0, below - 1)
    const link = links.get(headings[index]?.id ?? '')
    if (link === current) return
    current?.removeAttribute('aria-current')
    current = link
    link?.setAttribute('aria-current', 'true')
    const { top = 0, bottom = 0 } = link?.getBoundingClientRect() ?? {}
    const frame = outline!.getBoundingClientRect()
    if (top < frame.top || bottom > frame.bottom)
      outline!.scrollTop += top - frame.top - frame.height / 2
  }

  addEventListener(
    'scroll',
    () => {
      if (waiting) return
      waiting = true
      requestAnimationFrame(follow)
    },
    { passive: true },
  )

  outline.addEventListener('click', event => {
    if (event.target instanceof HTMLAnchorElement && outline.matches(':popover-open'))
      outline.hidePopover()
  })
  follow()
}
