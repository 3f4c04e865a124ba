import { all } from '../../ui/client/page.ts'

/** Lets two versions of an image be laid over each other, with a slider between them. */
export function startPairs(): void {
  for (const pair of all('[data-pair]')) {
    if (all('img', pair).length < 2) continue
    const tools = document.createElement('div')
    const button = document.createElement('button')
    const slider = document.createElement('input')
    const move = (): void => pair.style.setProperty('--over', `${slider.value}%`)

    tools.className = 'pair-tools'
    Object.assign(button, { type: 'button', className: 'btn', textContent: 'Lay over' })
    Object.assign(slider, {
      type: 'range',
      hidden: true,
      ariaLabel: 'How much of the former image',
    })
    slider.oninput = move
    button.onclick = () => {
      const isOver = pair.classList.toggle('is-over')
      slider.hidden = !isOver
      button.textContent = isOver ? 'Side by side' : 'Lay over'
      move()
    }
    tools.append(button, slider)
    pair.before(tools)
  }
}
