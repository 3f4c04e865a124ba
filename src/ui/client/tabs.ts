import { all, keep, kept } from './page.ts'

const nameOf = (tab: HTMLElement): string => tab.dataset.tab ?? ''

/** Opens the tabs with these titles: at most one of each block, since its tabs share a name. */
function open(titles: readonly string[], except?: HTMLElement): void {
  for (const title of titles)
    for (const tab of all<HTMLDetailsElement>('.tabs > details'))
      if (tab !== except && tab.parentElement !== except?.parentElement && nameOf(tab) === title)
        tab.open = true
}

/** Returns an anchor without what its spellings differ in. */
const fold = (anchor: string): string => anchor.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/**
 * Opens the block that the address names, and those around what it names: only some browsers do.
 */
function reveal(): void {
  const name = decodeURIComponent(location.hash.slice(1))
  const exact = document.getElementById(name)
  const isMeant = ({ id, textContent }: HTMLElement) =>
    [id, textContent!].some(text => fold(text) === fold(name))
  const named = exact ?? (fold(name) ? all('.prose [id]').find(isMeant) : undefined)
  let block = named?.closest('details')
  if (!named || (exact && !block)) return
  for (; block; block = block.parentElement?.closest('details')) block.open = true
  named.scrollIntoView()
}

/** Makes tabs of one name switch together, and remembers the latest choices. */
export function startTabs(): void {
  const chosen = JSON.parse(kept('stemmaTabs') ?? '[]') as string[]
  open(chosen)
  reveal()
  addEventListener('hashchange', reveal)

  for (const summary of all('.tabs > details > summary'))
    summary.addEventListener('click', event => {
      const tab = summary.parentElement as HTMLDetailsElement
      // A click on the open tab would shut it and leave nothing.
      if (tab.open) return event.preventDefault()
      const title = nameOf(tab)
      const before = summary.getBoundingClientRect().top

      open([title], tab)
      const latest = [...chosen.filter(name => name !== title), title].slice(-10)

      chosen.splice(0, chosen.length, ...latest)
      keep('stemmaTabs', JSON.stringify(chosen))

      // Blocks above may have changed their height: the clicked tab stays where it is.
      requestAnimationFrame(() =>
        scrollBy({ top: summary.getBoundingClientRect().top - before, behavior: 'instant' }),
      )
    })
}
