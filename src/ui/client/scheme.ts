import { all, find, keep, kept, onClick } from './page.ts'

/**
 * Starts the switch between light, dark and the system's scheme. The inline script has applied the
 * kept choice.
 */
export function startScheme(): void {
  const root = document.documentElement
  function show(): void {
    const chosen = kept('stemmaScheme') ?? root.dataset.theme ?? 'auto'
    for (const button of all('[data-scheme]'))
      button.ariaPressed = String(button.dataset.scheme === chosen)
  }

  onClick('[data-scheme]', button => {
    const scheme = button.dataset.scheme!
    keep('stemmaScheme', scheme)
    root.dataset.theme = scheme
    find('#\\~schemes')?.hidePopover()
    show()
  })

  addEventListener('storage', ({ key, newValue }) => {
    if (key !== 'stemmaScheme' || !newValue) return
    root.dataset.theme = newValue
    show()
  })
  show()
}
