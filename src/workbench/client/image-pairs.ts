import { all, find } from '../../ui/client/page.ts'

/** Lets two versions of an image be laid over each other, with a slider between them. */
export function startPairs(): void {
  for (const tools of all('.pair-tools')) {
    const pair = tools.nextElementSibling
    const button = find<HTMLButtonElement>('button', tools)
    const slider = find<HTMLInputElement>('input', tools)
    if (!(pair instanceof HTMLElement) || !button || !slider) continue
    const move = (): void => pair.style.setProperty('--over', `${slider.value}%`)

    slider.oninput = move
    button.onclick = () => {
      const isOver = pair.classList.toggle('is-over')
      slider.hidden = !isOver
      button.textContent = isOver ? 'Side by side' : 'Lay over'
      move()
    }
  }
}
