const brackets = 64
const colons = 200

/**
 * Says whether YAML from outside may nest so deeply that the parser would take the process down with it (it
 * builds patterns and recursions as deep as the text asks for). To be asked before every parse.
 */
export const nestsTooDeep = (yaml: string): boolean => {
  let depth = 0
  for (let at = 0; at < yaml.length; at++) {
    const char = yaml[at]
    if (char === '[' || char === '{') depth++
    else if ((char === ']' || char === '}') && depth > 0) depth--
    if (depth > brackets) return true
  }
  if (/(?:[-?][ \t]+){32}/.test(yaml)) return true
  return yaml.split(/[\r\n]+/).some(line => line.split(/:[ \t]/).length > colons)
}
