const choices = [
  ['write', 'Write'],
  ['show', 'Preview'],
] as const

/** Adds the switch that shows either the source or the preview where there is no room for both. */
export function showOneOfTwo(form: HTMLFormElement): void {
  const panes = form.querySelector<HTMLElement>('.editor-panes')
  if (!panes) return
  const group = document.createElement('div')
  group.className = 'editor-switch'
  group.setAttribute('role', 'group')
  group.setAttribute('aria-label', 'Show')
  const choose = (chosen: string) => {
    panes.dataset.shown = chosen
    for (const button of group.querySelectorAll('button'))
      button.setAttribute('aria-pressed', String(button.value === chosen))
  }

  for (const [value, label] of choices) {
    const button = document.createElement('button')
    Object.assign(button, { type: 'button', value, textContent: label })
    button.addEventListener('click', () => choose(value))
    group.append(button)
  }

  choose('write')
  panes.before(group)
}
