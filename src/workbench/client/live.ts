import { find } from '../../ui/client/page.ts'

type State = { text: string; again?: string; reloads?: true }

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

/** Lays a message over the page. It lies there until its reader closes it, or there is nothing to say any more. */
function show(place: HTMLElement, { text, again, reloads }: State): void {
  place.replaceChildren()
  if (text === '') return
  if (reloads) location.reload()
  const message = document.createElement('span')
  message.append(text)
  if (again !== undefined) {
    const link = document.createElement('a')
    link.href = location.href.replace(/#.*/, '')
    link.textContent = again
    message.append(' ', link)
  }
  const close = document.createElement('button')
  Object.assign(close, { type: 'button', className: 'btn bare icon', textContent: '×' })
  close.ariaLabel = 'Close the message'
  close.onclick = () => place.replaceChildren()
  place.append(message, close)
}
