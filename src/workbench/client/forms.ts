/** Starts what forms do: a second click does not send them twice, and Ctrl+Enter sends them. */
export function startForms(): void {
  addEventListener('submit', event => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
    // A script sends it, as often as it is asked to.
    if (event.defaultPrevented) return
    if (form.dataset.sent) event.preventDefault()
    form.dataset.sent = '1'
  })
  // A page that the browser kept is shown as it was left.
  addEventListener('pageshow', () => {
    for (const form of document.forms) delete form.dataset.sent
  })
  addEventListener('keydown', event => {
    const { target, key, metaKey, ctrlKey } = event
    if (key !== 'Enter' || !(metaKey || ctrlKey) || !(target instanceof HTMLTextAreaElement)) return
    event.preventDefault()
    target.form?.requestSubmit()
  })
}
