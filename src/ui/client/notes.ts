import { all, onClick } from './page.ts'

/**
 * Shows the note of a footnote or annotation beside its mark, instead of going to the end of the
 * page.
 */
export function startNotes(): void {
  onClick('.prose a[href^="#"]', (mark, event) => {
    const id = decodeURIComponent((mark as HTMLAnchorElement).hash.slice(1))
    const note = document.getElementById(id)
    if (!note?.closest('.notes') || mark.closest('.notes')) return
    event.preventDefault()
    const box = document.createElement('div')

    box.className = 'note-box'
    box.popover = 'auto'
    box.append(...[...note.childNodes].map(node => node.cloneNode(true)))

    for (const back of all('[id], a[href^="#"]', box)) {
      back.removeAttribute('id')
      if (back.tagName === 'A') back.remove()
    }

    mark.after(box)
    box.showPopover()
    const { left, bottom } = mark.getBoundingClientRect()

    box.style.left = `${scrollX + Math.max(8, Math.min(left, innerWidth - box.offsetWidth - 8))}px`
    box.style.top = `${scrollY + bottom + 6}px`
    box.addEventListener('toggle', () => box.matches(':popover-open') || box.remove())
  })
}
