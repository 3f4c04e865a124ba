import { all, calm, find, onClick } from '../../ui/client/page.ts'

/** Starts the buttons that go to the previous and the next change of a page. */
export function startMarks(): void {
  const marks = all('.prose .change')
  if (marks.length === 0) return
  let at = -1
  onClick('[data-step]', (button, event) => {
    event.preventDefault()
    at = (Math.max(at + Number(button.dataset.step), -1) + marks.length) % marks.length
    const marked = marks[at]!
    // The box of a tab is that of its title.
    const mark = marked.matches('details') ? find('summary', marked)! : marked
    mark.tabIndex = -1
    mark.focus({ preventScroll: true })
    mark.scrollIntoView({ block: 'center', behavior: calm ? 'instant' : 'smooth' })
  })
}
