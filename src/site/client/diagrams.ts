import { all, find } from '../../ui/client/page.ts'

/** The most pixels that a diagram is high. */
const highest = 5000

/**
 * Lets each frame draw the diagram whose source stands below it; a source that cannot be drawn is
 * shown with a sentence.
 */
function startDiagrams(): void {
  const frames = all<HTMLIFrameElement>('.diagram iframe')
  const { dataset } = document.documentElement
  const system = matchMedia('(prefers-color-scheme: dark)')
  const ready = new Set<HTMLIFrameElement>()

  function draw(frame: HTMLIFrameElement): void {
    const source = find('code', frame.parentElement!)!.textContent
    const dark = dataset.theme ? dataset.theme === 'dark' : system.matches
    // The frame has no origin that could be named.
    frame.contentWindow?.postMessage({ source, dark }, '*')
  }

  function show(frame: HTMLIFrameElement, height: unknown): void {
    if (typeof height !== 'number') return
    frame.hidden = height <= 0
    frame.style.cssText = `aspect-ratio:auto;block-size:${Math.min(height, highest)}px`
    if (height > 0) return
    const details = find<HTMLDetailsElement>('details', frame.parentElement!)!
    details.open = true
    find('summary', details)!.textContent = frame.dataset.failed!
  }

  addEventListener('message', ({ source, origin, data }) => {
    const frame = frames.find(({ contentWindow }) => contentWindow === source)
    if (!frame || origin !== 'null') return
    if (data === 'ready') draw(frame)
    else show(frame, data?.height)
    ready.add(frame)
  })
  const again = (): void => ready.forEach(draw)

  system.addEventListener('change', again)
  new MutationObserver(again).observe(document.documentElement, { attributeFilter: ['data-theme'] })
}

startDiagrams()
