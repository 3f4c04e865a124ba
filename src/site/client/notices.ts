import { keep, onClick } from '../../ui/client/page.ts'

/** Starts the button that closes the announcement: it stays closed until its text changes. */
export function startAnnouncement(): void {
  onClick('#\\~close-announcement', () => {
    const root = document.documentElement
    keep('stemmaClosed', root.dataset.news)
    root.classList.add('closed')
  })
}

/** Loads a player in the place of its card, when the card is clicked. */
export function startPlayers(): void {
  onClick('[data-player]', (card, event) => {
    if (event.metaKey || event.ctrlKey) return
    event.preventDefault()
    const frame = document.createElement('iframe')
    frame.src = card.dataset.player!
    frame.title = card.textContent?.trim() ?? ''
    frame.allow = 'fullscreen; picture-in-picture'
    card.replaceWith(frame)
    frame.focus()
  })
}
