/** Starts the switch that shows either the source or the preview where there is no room for both. */
export function showOneOfTwo(form: HTMLFormElement): void {
  const panes = form.querySelector<HTMLElement>('.editor-panes')
  const buttons = [...form.querySelectorAll<HTMLButtonElement>('.editor-switch button')]
  for (const button of buttons)
    button.addEventListener('click', () => {
      if (panes) panes.dataset.shown = button.value
      for (const each of buttons) each.setAttribute('aria-pressed', String(each === button))
    })
}
