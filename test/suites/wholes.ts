import { suite } from "./suites";

suite("wholes");
