import { find } from '../../ui/client/page.ts'

/** Sends the answer to "Was this page helpful?" without leaving the page. */
export function startFeedback(): void {
  const form = find<HTMLFormElement>('.feedback')
  form?.addEventListener('submit', async event => {
    event.preventDefault()
    const body = new URLSearchParams()
    for (const [name, value] of new FormData(form, event.submitter))
      body.append(name, String(value))
    const answer = await fetch(form.action, { method: 'POST', body }).catch(() => undefined)
    const status = find('[role=status]', form)!
    if (answer?.ok) find('fieldset', form)?.remove()
    status.textContent = (answer?.ok ? status.dataset.thanks : status.dataset.failed) ?? ''
  })
}
