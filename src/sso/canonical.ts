import type { Element } from './xml.ts'

const xmlNamespace = 'http://www.w3.org/XML/1998/namespace'

/** Namespaces by prefix; '' is the default namespace. */
type Namespaces = ReadonlyMap<string, string>

/** Thrown inside for an element that has no canonical form within the limit. */
class NoForm extends Error {}

/**
 * Returns an element in exclusive canonical form without comments
 * (https://www.w3.org/TR/xml-exc-c14n/). `inclusive` lists the prefixes whose namespaces are
 * declared wherever they are in scope. Returns undefined if the form is longer than `most`
 * characters or a prefix is not declared.
 */
export function canonicalForm(
  element: Element,
  inclusive: readonly string[],
  most: number,
): string | undefined {
  let form = ''
  const write = (text: string): void => {
    // A namespace that is declared once may be repeated in every element.
    if (form.length + text.length > most) throw new NoForm()
    form += text
  }

  const visit = (each: Element, above: Namespaces): void => {
    const declared = declaredBy(each, above, inclusive)
    write(`<${each.tag}`)
    for (const [prefix, namespace] of declared)
      write(` ${prefix === '' ? 'xmlns' : `xmlns:${prefix}`}="${escapedValue(namespace)}"`)
    for (const [name, value] of sortedAttributes(each)) write(` ${name}="${escapedValue(value)}"`)
    write('>')
    const below = new Map([...above, ...declared])

    for (const part of each.content)
      if (typeof part === 'string') write(escapedText(part))
      else visit(part, below)
    write(`</${each.tag}>`)
  }

  try {
    visit(element, new Map())
    return form
  } catch (error) {
    if (error instanceof NoForm) return undefined
    throw error
  }
}

const prefixOf = (name: string): string =>
  name.includes(':') ? (name.split(':', 1)[0] as string) : ''
const isDeclaration = (name: string): boolean => name === 'xmlns' || name.startsWith('xmlns:')

/** Returns the namespaces that an element has to declare, sorted by prefix. */
function declaredBy(
  element: Element,
  above: Namespaces,
  inclusive: readonly string[],
): [string, string][] {
  const used = new Set([prefixOf(element.tag)])
  for (const name of element.attributes.keys())
    if (name.includes(':') && !isDeclaration(name)) used.add(prefixOf(name))
  for (const prefix of inclusive) if (element.scope.has(prefix)) used.add(prefix)
  used.delete('xml')

  return [...used]
    .map((prefix): [string, string] => [prefix, namespaceOf(element, prefix)])
    .filter(
      ([prefix, namespace]) =>
        namespace !== (above.get(prefix) ?? (prefix === '' ? '' : undefined)),
    )
    .sort(([a], [b]) => compare(a, b))
}

function namespaceOf({ scope }: Element, prefix: string): string {
  const namespace = prefix === 'xml' ? xmlNamespace : scope.get(prefix)
  if (namespace === undefined && prefix !== '') throw new NoForm()
  return namespace ?? ''
}

/**
 * Returns the attributes of an element but for declarations, sorted by namespace and local name.
 */
const sortedAttributes = (element: Element): (readonly [string, string])[] =>
  [...element.attributes]
    .filter(([name]) => !isDeclaration(name))
    .map(([name, value]) => {
      const namespace = name.includes(':') ? namespaceOf(element, prefixOf(name)) : ''
      return { name, value, namespace, local: name.slice(name.indexOf(':') + 1) }
    })
    .sort((a, b) => compare(a.namespace, b.namespace) || compare(a.local, b.local))
    .map(({ name, value }) => [name, value] as const)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
}
const referenceOf = (character: string): string => references[character] as string
const escapedText = (text: string): string => text.replace(/[&<>\r]/g, referenceOf)
const escapedValue = (value: string): string => value.replace(/[&<"\t\n\r]/g, referenceOf)
