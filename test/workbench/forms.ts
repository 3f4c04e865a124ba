import { decodeHTML } from 'entities'

/** Returns the fields of the form of a page that is sent to an address, as a browser would send it. */
export function formIn(html: string, action: string, name = ''): Record<string, string> {
  const forms = [
    ...html.matchAll(/<form method="post" action="([^"]*)"(?:[^>"]|"[^"]*")*>(.*?)<\/form>/gs),
  ]
    .filter(([, address]) => decodeHTML(address!) === action)
    .map(([, , inside]) => fieldsIn(inside!))
  const found = forms.find(fields => (fields.form ?? '') === name)
  if (!found) throw new Error(`The page has no form "${name}" for ${action}:\n${html.slice(-3000)}`)
  return found
}

function fieldsIn(html: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [tag] of html.matchAll(/<input (?:[^>"]|"[^"]*")*>/g)) {
    const type = attributeOf(tag, 'type')
    const isLeftOut = /^(?:radio|checkbox)$/.test(type ?? '') && !/ checked[ />]/.test(tag)
    const name = attributeOf(tag, 'name')
    const usual = type === 'checkbox' ? 'on' : ''
    if (name && !isLeftOut) fields[name] = attributeOf(tag, 'value') ?? usual
  }
  // The first line break of a text area is not part of its text.
  for (const [, tag, text] of html.matchAll(/(<textarea (?:[^>"]|"[^"]*")*>)(.*?)<\/textarea>/gs))
    fields[attributeOf(tag!, 'name') ?? ''] = decodeHTML(text!).replace(/^\n/, '')
  return fields
}

const attributeOf = (tag: string, name: string): string | undefined => {
  const found = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]
  return found === undefined ? undefined : decodeHTML(found)
}
