/**
 * An error that only the operator can fix: a command ends with this one line, while a defect of ours shows its stack.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
