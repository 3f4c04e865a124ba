type Choices = {
  discard: () => void
  /** Absent where the text is restored already. */
  restore?: () => void
}

/** Says above a form that there is a text that was not saved, and what can be done with it. */
export function offerDraft(form: HTMLFormElement, at: number, { discard, restore }: Choices): void {
  const box = document.createElement('p')
  box.className = 'notice'
  box.setAttribute('role', 'status')
  const when = new Date(at).toLocaleString()
  const choose = (label: string, work: () => void) =>
    buttonOf(label, () => {
      work()
      box.remove()
    })

  if (restore) box.append(`You have a text of ${when} that was not saved. `)
  else box.append(`This is the text that you had not saved, of ${when}. `)
  if (restore) box.append(choose('Restore it', restore), ' ')
  box.append(choose('Discard it', discard))
  form.prepend(box)
}

function buttonOf(text: string, run: () => void): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = text
  button.addEventListener('click', run)
  return button
}
