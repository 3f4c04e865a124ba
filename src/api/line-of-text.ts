import { z } from 'zod'
import { findInvisible } from '../lib/invisible.ts'

/**
 * A text on one line that people take for a name, blanks around it taken off, of `least` to `most` characters (code
 * points). Invisible characters, with which it could look like another one, are refused.
 */
export const lineOfText = (least: number, most: number) =>
  z
    .string()
    .trim()
    .refine(text => [...text].length >= least && [...text].length <= most, {
      error: `takes ${least} to ${most} characters`,
      abort: true,
    })
    .refine(
      text => !/[\p{Cc}\p{Noncharacter_Code_Point}\u2028\u2029]/u.test(text),
      'takes one line without control characters',
    )
    .superRefine((text, check) => {
      const found = findInvisible(text)
      if (found !== undefined)
        check.addIssue({ code: 'custom', message: `holds the invisible character ${found}: leave it out` })
    })
    .meta({ minLength: least, maxLength: most })

/** The name of a person, which Git writes before their address in angle brackets. */
export const PersonName = lineOfText(1, 64).refine(
  name => !/[<>]/.test(name),
  'takes no angle brackets: they enclose the address in commits',
)

/** An http or https address, as browsers write it. */
export const WebAddress = z.url({ protocol: /^https?$/, normalize: true }).max(2048)
