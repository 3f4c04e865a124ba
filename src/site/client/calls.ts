import { all, find, onClick } from '../../ui/client/page.ts'

const buttons = '.try > button'

/**
 * Opens and closes the forms that call operations. The script that makes them is loaded when the
 * first one is opened, and makes those of buttons that are expanded.
 */
export function startCalls(): void {
  onClick(buttons, button => {
    const isOpen = button.ariaExpanded === 'true'
    const form = find('section', button.parentElement!)
    button.ariaExpanded = String(!isOpen)
    if (form) form.hidden = isOpen
    else if (!find('script[data-calls]')) load()
  })
}

function load(): void {
  const script = document.createElement('script')
  script.type = 'module'
  script.dataset.calls = ''
  script.src = document.documentElement.dataset.try!

  // The next click tries again.
  script.onerror = () => {
    script.remove()
    for (const button of all(buttons)) button.ariaExpanded = 'false'
  }
  document.head.append(script)
}
