import { imageParser, markdownParser, openapiParser, yamlParser } from './content.ts'
import { fetchParser, packParser, pushParser } from './git.ts'
import { formParser, jsonParser } from './http.ts'
import type { Parser } from './parser.ts'
import { samlParser } from './saml.ts'
import { providerParser, visitorTokenParser } from './tokens.ts'

/**
 * Every parser that strangers or editors reach. There is none of multipart forms, which are
 * refused, and none of fonts: only the fonts of the server are read. Pixels of images are decoded
 * in a process of its own, with a limit of them. The Markdown of pages is in `pages.ts`.
 */
export const parsers: readonly Parser[] = [
  samlParser,
  visitorTokenParser,
  providerParser,
  formParser,
  jsonParser,
  packParser,
  pushParser,
  fetchParser,
  markdownParser,
  yamlParser,
  openapiParser,
  imageParser,
]
