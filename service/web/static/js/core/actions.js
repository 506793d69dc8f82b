// What a seat can do, and how the log tells of it.

/** By action: its event, and the one that has its card, where that is another. */
export const EVENTS_OF = { take: ["CardTaken"], draw: ["PileDrawn", "CardDrawn"], lay_businessmaker: ["BusinessmakerLaid"], append: ["CardAppended"] };
/** Events that lay a card on a row. */
export const LAYING = ["BusinessmakerLaid", "CardAppended"];
