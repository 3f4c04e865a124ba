import { all, find } from '../../ui/client/page.ts'

/** After this time without another choice, the results are asked for, in milliseconds. */
const pauseMs = 250

/** Starts to show what the choices of a form will read like as soon as they are made. */
export function startResults(): void {
  const button = find<HTMLButtonElement>('.show-result')
  const { form } = button ?? {}
  if (!button || !form) return
  let asking = new AbortController()

  const show = async (): Promise<void> => {
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    await new Promise(done => setTimeout(done, pauseMs))
    if (signal.aborted) return
    const fields = [...new FormData(form, button)].map(([name, value]) => [name, String(value)])
    const body = new URLSearchParams(fields)
    const answer = await fetch(form.action, { method: 'POST', body, signal })
    if (!answer.ok) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    for (const place of all('[data-result]')) {
      const found = page.getElementById(place.id)
      if (found) place.replaceChildren(...found.childNodes)
    }
    const said = find('[data-result-said]')
    if (said) said.textContent = 'The results follow your choices.'
  }
  // Without an answer, the button is there.
  form.addEventListener('change', () => void show().catch(() => {}))
}
