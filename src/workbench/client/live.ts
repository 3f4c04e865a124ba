import { find } from '../../ui/client/page.ts'

type State = { text: string; again?: string }

/** Starts to say what changes while the page is open and seen. */
export function startLive(): void {
  const place = find('[data-live]')
  if (!place) return
  let source: EventSource | undefined
  const close = () => {
    source?.close()
    source = undefined
  }
  // A browser has few connections to a server: pages that are not seen have none.
  const follow = () => {
    if (document.visibilityState !== 'visible') return close()
    if (source) return
    source = new EventSource(place.dataset.live ?? '')
    source.onmessage = ({ data }) => show(place, JSON.parse(data) as State)
    source.addEventListener('end', close)
  }
  document.addEventListener('visibilitychange', follow)
  follow()
}

function show(place: HTMLElement, { text, again }: State): void {
  place.textContent = text
  if (text === '' || again === undefined) return
  const link = document.createElement('a')
  link.href = location.href.replace(/#.*/, '')
  link.textContent = again
  place.append(' ', link)
}
