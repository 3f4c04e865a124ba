/** Returns a new element with properties and children. Texts stay texts. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

/** Returns a field of one line, which browsers do not remember. */
export const input = (properties: Partial<HTMLInputElement>): HTMLInputElement =>
  make('input', {
    type: 'text',
    autocomplete: 'off',
    spellcheck: false,
    autocapitalize: 'off',
    ...properties,
  })

/** Returns a list to choose one of some values from. */
export function select(values: readonly string[], chosen = values[0] ?? ''): HTMLSelectElement {
  const list = make(
    'select',
    {},
    ...values.map(value => make('option', { value, textContent: value })),
  )
  if (values.includes(chosen)) list.value = chosen
  return list
}

let controls = 0

/** Returns a control with its name, and a hint beside the name. */
export function labelled(name: string, hint: string, control: HTMLElement): HTMLElement {
  control.id = `~field-${++controls}`
  const label = make('label', { htmlFor: control.id }, name)
  if (hint) label.append(' ', make('small', { textContent: hint }))
  return make('div', { className: 'row' }, label, control)
}

/** Returns a sentence with its values. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in values ? String(values[name]) : whole,
  )
