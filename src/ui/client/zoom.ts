import { find, onClick } from './page.ts'

/** Shows large images in a dialog instead of leaving the page. A click or Esc closes it. */
export function startZoom(): void {
  onClick('a.zoom', (link, event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    const dialog = document.createElement('dialog')
    const button = document.createElement('button')
    const image = document.createElement('img')
    const shown = find<HTMLImageElement>('img', link)!

    image.src = (link as HTMLAnchorElement).href
    image.alt = shown.alt
    image.width = shown.naturalWidth
    image.height = shown.naturalHeight
    button.ariaLabel = find('[data-close]')?.ariaLabel ?? 'Esc'
    dialog.ariaLabel = shown.alt || link.ariaLabel

    // The style sheet has no room for what few pages need.
    dialog.style.cssText =
      'margin:auto;inset:0;inline-size:fit-content;border:0;padding:0;background:none;max-inline-size:96vw;max-block-size:96vh'
    button.style.cssText = 'cursor:zoom-out;padding:0;display:block'
    image.style.cssText =
      'inline-size:auto;block-size:auto;max-inline-size:96vw;max-block-size:94vh;object-fit:contain'
    button.append(image)
    dialog.append(button)
    dialog.onclick = () => dialog.close()
    dialog.onclose = () => dialog.remove()
    document.body.append(dialog)
    dialog.showModal()
  })
}
