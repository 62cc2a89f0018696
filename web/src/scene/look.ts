/** Look: the colours of the scene in light and dark, and the four leg colours for three.js. */
import { Color } from "three";

export interface Look {
  readonly name: "light" | "dark";
  readonly skyHigh: Color;
  readonly skyLow: Color;
  readonly hills: Color;
  readonly ground: Color;
  readonly grid: Color;
  readonly dust: Color;
  readonly sun: Color;
  readonly sunPower: number;
  readonly skyPower: number;
  readonly bounce: Color;
  /** Strength of the soft spots under the horse: dark ground needs darker ones. */
  readonly contact: number;
  readonly ink: Color;
  /** LF, RF, LH, RH. */
  readonly legs: readonly [Color, Color, Color, Color];
  readonly alarm: Color;
}

const of = (hex: string): Color => new Color(hex);

export const LIGHT: Look = {
  name: "light",
  skyHigh: of("#8fb4cf"),
  skyLow: of("#e8ebe7"),
  hills: of("#c3ccc6"),
  ground: of("#d6cebd"),
  grid: of("#9a8f7a"),
  dust: of("#f3e9d4"),
  sun: of("#fff3dc"),
  sunPower: 2.5,
  skyPower: 1.5,
  bounce: of("#b7a88c"),
  contact: 0.85,
  ink: of("#26282c"),
  legs: [of("#0072b2"), of("#d55e00"), of("#56b4e9"), of("#e69f00")],
  alarm: of("#d0003c"),
};

export const DARK: Look = {
  name: "dark",
  skyHigh: of("#0d1118"),
  skyLow: of("#39434f"),
  hills: of("#272e37"),
  ground: of("#44474c"),
  grid: of("#868b93"),
  dust: of("#9a9ca1"),
  sun: of("#e9ecf4"),
  sunPower: 2.9,
  skyPower: 2.4,
  bounce: of("#6a6660"),
  contact: 1.4,
  ink: of("#ece9e2"),
  legs: [of("#3c96d8"), of("#e8701c"), of("#80cefa"), of("#f4b83c")],
  alarm: of("#ff406e"),
};
