import { find, keep, kept, onClick, visit } from '../../ui/client/page.ts'

/**
 * Opens and shuts entries of the list of pages. What is below a shut one is fetched when it is
 * opened.
 */
export function startNav(): void {
  onClick('.twist', async button => {
    const item = button.closest('li')!
    const opening = button.ariaExpanded !== 'true'
    button.ariaExpanded = String(opening)
    item.classList.toggle('open', opening)
    if (!opening || find(':scope > ul', item) || !button.dataset.fragment) return

    const answer = await fetch(button.dataset.fragment).catch(() => undefined)

    if (answer?.ok && !find(':scope > ul', item))
      button.insertAdjacentHTML('afterend', await answer.text())
    // Its page opens the branch, too.
    else if (!answer?.ok) find<HTMLAnchorElement>('a', item)?.click()
  })
  keepInView()
}

/** Keeps the place of the list from page to page, with the current entry in view. */
function keepInView(): void {
  const side = find('.side')
  if (!side) return
  side.scrollTop = Number(kept('stemmaSide', visit) ?? 0)
  const current = find('[aria-current]', side)

  if (current) {
    const { top, bottom } = current.getBoundingClientRect()
    const frame = side.getBoundingClientRect()
    if (frame.height > 0 && (top < frame.top || bottom > frame.bottom))
      side.scrollTop += top - frame.top - frame.height / 3
  }

  side.addEventListener('toggle', () => {
    if (side.matches(':popover-open')) current?.scrollIntoView({ block: 'center' })
  })
  addEventListener('pagehide', () => keep('stemmaSide', String(Math.round(side.scrollTop)), visit))
}
