const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
  return rest
})

/** The CRC-32 of the bytes, as zip, PNG and Git have it. */
export function crc32(bytes: Uint8Array): number {
  let rest = 0xffffffff
  for (let at = 0; at < bytes.length; at++) rest = table[(rest ^ bytes[at]!) & 255]! ^ (rest >>> 8)
  return (rest ^ 0xffffffff) >>> 0
}
