import { assertionNamespace } from './saml.ts'
import { childrenOf, type Element } from './xml.ts'

/**
 * Returns the first values of the attributes with these names, in the order of the names. One that
 * has elements in it is ''.
 */
export function attributesOf(signed: Element, names: readonly string[]): string[] {
  const attributes = childrenOf(signed, assertionNamespace, 'AttributeStatement').flatMap(
    statement => childrenOf(statement, assertionNamespace, 'Attribute'),
  )
  return names.flatMap(name => {
    const found = attributes.find(({ attributes }) => attributes.get('Name') === name)
    const [value] = childrenOf(found, assertionNamespace, 'AttributeValue')
    return value ? [value.children.length === 0 ? value.text : ''] : []
  })
}
