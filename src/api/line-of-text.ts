import { z } from 'zod'

/** A text on one line, blanks around it taken off, of `least` to `most` characters (code points). */
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
    .meta({ minLength: least, maxLength: most })

/** An http or https address, as browsers write it. */
export const WebAddress = z.url({ protocol: /^https?$/, normalize: true }).max(2048)
