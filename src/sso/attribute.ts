import { assertionNamespace } from './saml.ts'
import { childrenOf, type Element } from './xml.ts'

/** Returns the first value of the first attribute with one of these names; '' if there is none. */
export function attributeOf(signed: Element, names: readonly string[]): string {
  const attributes = childrenOf(signed, assertionNamespace, 'AttributeStatement').flatMap(
    statement => childrenOf(statement, assertionNamespace, 'Attribute'),
  )
  const found = attributes.find(({ attributes }) => names.includes(attributes.get('Name') ?? ''))
  const [value] = childrenOf(found, assertionNamespace, 'AttributeValue')
  return value?.children.length === 0 ? value.text : ''
}
