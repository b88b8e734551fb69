/** What only the operator can mend: a command ends with this one line, and a defect of ours with its stack. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
